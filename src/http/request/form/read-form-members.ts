import type { IncomingMessage } from 'node:http'
import type { Problem } from '../../../kernel/problem.ts'
import { type Result, succeed } from '../../../kernel/result.ts'
import { readQueryString } from '../query-string.ts'
import { type BodyLimits, readBytes } from '../read-body.ts'
import { readUtf8 } from '../utf8.ts'
import { problemOfForm, readField } from './open-form.ts'
import { readForm } from './read-form.ts'

const URLENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i
const MULTIPART = /^multipart\/form-data\s*(;|$)/i

export function isForm({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? ''
  return URLENCODED.test(type) || MULTIPART.test(type)
}

/**
 * The named members of a small form, urlencoded or multipart; other members are ignored. For routes that take JSON and to which deployed
 * clients send a form.
 */
export async function readFormMembers(
  request: IncomingMessage,
  names: readonly string[],
  limits: BodyLimits,
): Promise<Result<Readonly<Record<string, string>>, Problem>> {
  const bytes = await readBytes(request, limits)
  if (!bytes.ok) return bytes
  const type = request.headers['content-type'] ?? ''
  const members = MULTIPART.test(type) ? await readMultipart(bytes.value, type, names) : readUrlencoded(bytes.value)
  if (!members.ok) return members
  return succeed(Object.fromEntries([...members.value].filter(([name]) => names.includes(name))))
}

function readUrlencoded(bytes: Buffer): Result<ReadonlyMap<string, string>, Problem> {
  const text = readUtf8(bytes)
  // Keeps a byte that is not UTF-8, so that the error of the reader names the member.
  return readQueryString(text.ok ? text.text.trim() : bytes.toString('latin1').replaceAll(/[\x80-\xff]/g, encodeByte))
}

const encodeByte = (byte: string): string => `%${byte.charCodeAt(0).toString(16)}`

async function readMultipart(
  bytes: Buffer,
  type: string,
  names: readonly string[],
): Promise<Result<ReadonlyMap<string, string>, Problem>> {
  const pieces = [bytes]
  const members = new Map<string, string>()
  try {
    for await (const part of readForm({ next: () => Promise.resolve(pieces.shift()) }, type)) {
      if (names.includes(part.name)) members.set(part.name, await readField(part, bytes.length))
    }
    return succeed(members)
  } catch (error) {
    return { ok: false, error: problemOfForm(error) }
  }
}
