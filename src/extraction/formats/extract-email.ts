import PostalMime, { type Address, type Attachment } from 'postal-mime'
import { createAttachmentText, isReadable, type ReadAttachment } from '../attachment-text.ts'
import { withReadableTexts } from '../read/mail-charsets.ts'
import { unreadable } from '../rejection.ts'
import type { TextSink } from '../text-builder.ts'
import { extractHtml } from './extract-html.ts'
import { extractPlain, paragraphBlocks } from './extract-plain.ts'

/** Deeper messages and longer headers than mail programs write. */
const maxPartDepth = 64
const maxHeaderBytes = 1024 * 1024

/**
 * Adds subject, people, date and body of a message, and the text of each attachment under its name. Messages and delivery
 * reports are attachments too.
 *
 * @param readAttachment absent: attachments are only named, like those of an attached message
 */
export async function extractEmail(
  bytes: Uint8Array,
  into: TextSink,
  readAttachment?: ReadAttachment,
): Promise<{ readonly title?: string }> {
  const readable = withReadableTexts(bytes)
  const message = await parse(readable.bytes)
  into.flag('undecodable', readable.undecodable)
  into.flag('encoding-guessed', readable.guessed.length, readable.guessed)
  const subject = message.subject?.trim() ?? ''
  into.add('heading', subject, { level: 1 })
  const head = [
    ['From', message.from === undefined ? '' : nameOf(message.from)],
    ['To', namesOf(message.to)],
    ['Cc', namesOf(message.cc)],
    ['Date', message.date ?? ''],
  ]
  into.add('paragraph', linesOf(head))
  const { text = '', html = '' } = message
  if (text.trim() !== '' && !saysLittleOf(text, html))
    into.addWhole(text.trim(), (cleaned) => paragraphBlocks(cleaned, 'paragraph'))
  else if (html !== '') extractHtml(html, into)
  const isPage = message.headers.some(({ key, value }) => key === 'content-type' && /^multipart\/related/i.test(value))
  for (const attachment of message.attachments)
    if (!isLooks(attachment, isPage)) await addAttachment(attachment, into, readAttachment)
  return subject === '' ? {} : { title: subject }
}

/** Whether a plain form does not replace the page beside it ("Open this message in a browser"): that has far more words. */
function saysLittleOf(text: string, html: string): boolean {
  if (html === '') return false
  const texts: string[] = []
  extractHtml(html, {
    add: (_kind, part) => void texts.push(part),
    addWhole: (part) => void texts.push(part),
    turnToPage: () => undefined,
    flag: () => undefined,
    missAttachment: () => undefined,
  })
  return countWords(texts.join(' ')) > 2 * countWords(text.replace(/https?:\S+/g, ''))
}

const countWords = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0

async function addAttachment(
  { filename, mimeType, content, related }: Attachment,
  into: TextSink,
  read: ReadAttachment | undefined,
): Promise<void> {
  const name = filename ?? mimeType
  const own = createAttachmentText(into, `Attachment: ${name}`)
  const isRead =
    read !== undefined && (await isReadable(() => readPart(mimeType, name, bytesOf(content), own.into, read)))
  if (isRead && own.hasText()) return
  if (!own.hasText()) into.add('list-item', `Attachment: ${name}`)
  // A picture that the body displays is part of its layout.
  if (related !== true || !mimeType.startsWith('image/')) into.missAttachment(name)
}

const styleTypes = /^(?:text\/(?:css|javascript)|application\/(?:x-)?javascript|font\/)/i

/** Parts without a name beside a page are its layout, not its content. */
function isLooks({ filename, mimeType }: Attachment, isPage: boolean): boolean {
  return filename === null && (styleTypes.test(mimeType) || (isPage && mimeType.startsWith('image/')))
}

/** Parts of a delivery report: header lines, whatever their first line is. */
const reportTypes: ReadonlySet<string> = new Set([
  'message/delivery-status',
  'message/disposition-notification',
  'message/feedback-report',
  'text/rfc822-headers',
])

async function readPart(
  type: string,
  name: string,
  bytes: Buffer,
  into: TextSink,
  read: ReadAttachment,
): Promise<void> {
  if (type === 'message/rfc822') await extractEmail(bytes, into)
  else if (reportTypes.has(type)) extractPlain(bytes.toString('utf8'), 'paragraph', into)
  else await read(bytes, name, into)
}

function bytesOf(content: Attachment['content']): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof ArrayBuffer
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

async function parse(bytes: Uint8Array): ReturnType<typeof PostalMime.parse> {
  try {
    return await PostalMime.parse(bytes, {
      forceRfc822Attachments: true,
      maxNestingDepth: maxPartDepth,
      maxHeadersSize: maxHeaderBytes,
    })
  } catch (error) {
    throw unreadable('damaged', `the message: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function linesOf(head: readonly (readonly string[])[]): string {
  return head.flatMap(([name = '', value = '']) => (value === '' ? [] : [`${name}: ${value}`])).join('\n')
}

function namesOf(addresses: readonly Address[] | undefined): string {
  return (addresses ?? []).map(nameOf).join(', ')
}

function nameOf(address: Address): string {
  if (address.group !== undefined) return `${address.name}: ${address.group.map(nameOf).join(', ')}`
  const { name, address: mailbox } = address
  if (name === '') return mailbox
  return mailbox === '' ? name : `${name} <${mailbox}>`
}
