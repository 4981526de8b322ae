import PostalMime, { type Address } from 'postal-mime'
import { unreadable } from '../refusal.ts'
import type { TextBuilder } from '../text-builder.ts'
import { extractHtml } from './extract-html.ts'
import { paragraphBlocks } from './extract-plain.ts'

/** Deeper messages and longer headers than any mail program writes. */
const maxPartDepth = 64
const maxHeaderBytes = 1024 * 1024

/** Adds subject, people, date and body of a message. Attachments, messages among them, are named and not opened. */
export async function extractEmail(bytes: Uint8Array, into: TextBuilder): Promise<{ readonly title?: string }> {
  const message = await parse(bytes)
  const subject = message.subject?.trim() ?? ''
  into.add('heading', subject, 1)
  const head = [
    ['From', message.from === undefined ? '' : nameOf(message.from)],
    ['To', namesOf(message.to)],
    ['Cc', namesOf(message.cc)],
    ['Date', message.date ?? ''],
  ]
  into.add('paragraph', linesOf(head))
  const { text = '', html = '' } = message
  if (text.trim() !== '') into.addWhole(text.trim(), (cleaned) => paragraphBlocks(cleaned, 'paragraph'))
  else if (html !== '') extractHtml(html, into)
  for (const { filename, mimeType } of message.attachments) {
    into.add('list-item', `Attachment: ${filename ?? mimeType}`)
    into.flag('attachments-not-read')
  }
  return subject === '' ? {} : { title: subject }
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
