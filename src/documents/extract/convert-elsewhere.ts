import { openAsBlob } from 'node:fs'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { decodeText } from './decode-text.ts'
import { extractHtml } from './extract-html.ts'
import { extractMarkdown } from './extract-markdown.ts'
import { extractPlain } from './extract-plain.ts'
import type { ExtractedText } from './extracted-text.ts'
import type { ExtractionLimits } from './extraction-limits.ts'
import type { FileToRead } from './extractor-messages.ts'
import { type FileProblem, Refusal, unreadable } from './refusal.ts'
import { type AboutText, createTextBuilder, type TextBuilder } from './text-builder.ts'

export interface ConverterOptions {
  /** From the configuration, never from a caller: the file is sent there by PUT, as Apache Tika takes it at `/tika`. */
  readonly address: string
  readonly maxSeconds: number
  readonly limits: ExtractionLimits
}

/**
 * Has a file that we do not read ourselves (a picture, an old Office format) read by the converter of the configuration.
 * Its answer is HTML, Markdown or plain text, and is treated like a file of that format.
 *
 * @returns a refusal when the converter says that it cannot read the file (415, 422)
 * @throws when it cannot be reached, takes too long or fails: the machine's fault, worth another try
 */
export async function convertElsewhere(
  file: FileToRead,
  options: ConverterOptions,
): Promise<Result<ExtractedText, FileProblem>> {
  const answer = await fetch(options.address, {
    method: 'PUT',
    body: await openAsBlob(file.path),
    headers: { accept: 'text/html, text/markdown;q=0.9, text/plain;q=0.8', 'content-type': 'application/octet-stream' },
    // The address was chosen by the operator; where it leads on was not.
    redirect: 'error',
    signal: AbortSignal.timeout(options.maxSeconds * 1_000),
  })
  if (answer.status === 415 || answer.status === 422) {
    await answer.body?.cancel()
    return refuse(unreadable('damaged', `the converter cannot read it (status ${answer.status})`).problem)
  }
  if (!answer.ok) {
    await answer.body?.cancel()
    throw new Error(`the converter answered with status ${answer.status}`)
  }
  try {
    return succeed(await readAnswer(answer, options.limits))
  } catch (error) {
    if (error instanceof Refusal) return refuse(error.problem)
    throw error
  }
}

async function readAnswer(answer: Response, limits: ExtractionLimits): Promise<ExtractedText> {
  const bytes = await readBounded(answer, limits.maxTextUnits * 4)
  const contentType = answer.headers.get('content-type') ?? ''
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]
  const { text } = decodeText(bytes, charset) ?? { text: '' }
  const into = createTextBuilder(limits)
  const about = addAnswer(text, contentType, into)
  const extracted = into.finish({ mediaType: 'application/octet-stream', ...about })
  if (extracted.text === '') throw unreadable('no-text', 'the converter found no text in it')
  return extracted
}

async function readBounded(answer: Response, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) throw unreadable('too-much-text', `the converter's answer is over ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function addAnswer(text: string, contentType: string, into: TextBuilder): Partial<Omit<AboutText, 'mediaType'>> {
  if (/^(?:text\/html|application\/xhtml\+xml)/i.test(contentType)) return extractHtml(text, into)
  if (/^text\/(?:x-)?markdown/i.test(contentType)) return extractMarkdown(text, into)
  return extractPlain(text, 'paragraph', into)
}
