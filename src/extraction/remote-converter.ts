import { randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { UpstreamError } from '../kernel/upstream-error.ts'
import type { ExtractedText } from './extracted-text.ts'
import type { ExtractionLimits } from './extraction-limits.ts'
import type { FileToRead } from './process/extractor-messages.ts'
import type { ExtractorPool } from './process/extractor-pool.ts'
import { type FileProblem, Rejection, unreadable } from './rejection.ts'

export interface ConverterOptions {
  /** From the configuration, never from a caller: files are sent there by PUT, as for Apache Tika's `/tika`. */
  readonly address: string
  readonly maxSeconds: number
}

interface ConvertingOptions extends ConverterOptions {
  readonly limits: ExtractionLimits
  /** Folder for its responses while they are read; extraction processes have access to it. */
  readonly scratchFolder: string
}

/** The converter cannot be reached, takes too long or fails: not a fault of the file, so a retry is useful. */
export class ConverterFailure extends UpstreamError {
  readonly forCallers = 'The program that reads files of this format does not respond correctly'
}

/**
 * The same pool; files that it does not support (a picture, an old Office format, a scan) go through the configured converter.
 * Its response is HTML, Markdown or plain text, made of a possibly malicious file: it is read in a separate process like every
 * other file.
 *
 * Its `extract` throws ConverterFailure.
 */
export function extractorWithConverter(pool: ExtractorPool, options: ConvertingOptions): ExtractorPool {
  const closing = new AbortController()
  return {
    async close() {
      closing.abort()
      await pool.close()
    },
    async extract(file, onPage) {
      const read = await pool.extract(file, onPage)
      if (read.ok || !isForConverter(read.error)) return read
      const converted = await convert(file, options, closing.signal)
      if (!converted.ok) return converted
      try {
        return asConverted(await pool.extract({ path: converted.value.path, fileName: converted.value.fileName }))
      } finally {
        await rm(converted.value.path, { force: true })
      }
    },
  }
}

function isForConverter(problem: FileProblem): boolean {
  return problem.kind === 'unsupported-media-type' || problem.cause === 'no-text'
}

/** The document is the file that was sent, not the output of the converter. */
function asConverted(read: Result<ExtractedText, FileProblem>): Result<ExtractedText, FileProblem> {
  if (!read.ok) return read
  if (read.value.text === '') return fail(unreadable('no-text', 'the converter found no text in it').problem)
  return succeed({ ...read.value, mediaType: 'application/octet-stream' })
}

/** @returns its response as a file; an error when the converter cannot read the file (415, 422) */
async function convert(
  file: FileToRead,
  options: ConvertingOptions,
  closing: AbortSignal,
): Promise<Result<FileToRead, FileProblem>> {
  const path = join(options.scratchFolder, randomUUID())
  try {
    const response = await call(file, options, closing)
    if (response.status === 415 || response.status === 422) {
      await response.body?.cancel()
      return fail(unreadable('damaged', `the converter cannot read it (status ${response.status})`).problem)
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`it responded with status ${response.status}`)
    }
    await mkdir(options.scratchFolder, { recursive: true })
    const contentType = response.headers.get('content-type') ?? ''
    await pipeline(textOf(response, contentType), bounded(options.limits.maxTextUnits * 4), createWriteStream(path))
    return succeed({ path, fileName: `converted.${endingOf(contentType)}` })
  } catch (error) {
    await rm(path, { force: true })
    if (error instanceof Rejection) return fail(error.problem)
    throw new ConverterFailure(`the converter failed: ${wordsOf(error)}`, { cause: error })
  }
}

async function call(
  file: FileToRead,
  { address, maxSeconds }: ConverterOptions,
  closing: AbortSignal,
): Promise<Response> {
  return fetch(address, {
    method: 'PUT',
    body: await openAsBlob(file.path),
    headers: { accept: 'text/html, text/markdown;q=0.9, text/plain;q=0.8', 'content-type': 'application/octet-stream' },
    // The operator chose the address, but not the target of a redirect.
    redirect: 'error',
    signal: AbortSignal.any([closing, AbortSignal.timeout(maxSeconds * 1_000)]),
  })
}

/** In UTF-8 if the response declares an encoding; otherwise unchanged, and detected like that of any file. */
function textOf(response: Response, contentType: string): Readable {
  const body = response.body ?? new Blob([]).stream()
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]
  if (charset === undefined) return Readable.fromWeb(body as ReadableStream)
  const decoded = body.pipeThrough(new TextDecoderStream(charset)).pipeThrough(new TextEncoderStream())
  return Readable.fromWeb(decoded as ReadableStream)
}

function bounded(maxBytes: number): (bytes: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  return async function* (bytes) {
    let count = 0
    for await (const piece of bytes) {
      count += piece.length
      if (count > maxBytes) throw unreadable('too-much-text', `the converter's response is over ${maxBytes} bytes`)
      yield piece
    }
  }
}

function endingOf(contentType: string): string {
  if (/^(?:text\/html|application\/xhtml\+xml)/i.test(contentType)) return 'html'
  return /^text\/(?:x-)?markdown/i.test(contentType) ? 'md' : 'txt'
}

function wordsOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
