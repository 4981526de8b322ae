import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { type LoggedChange, logged } from './change-log.ts'
import { drawWindow } from './files/draw-window.ts'
import { writeSheet } from './files/write-sheet.ts'
import type { Ground, Person, Row, World } from './model.ts'
import type { Story, Ticket } from './ticket.ts'
import { dayMs, minuteMs, timestamp, wallClock } from './working-time.ts'

/** A file that somebody attached to a ticket. */
export interface FileOfTicket {
  readonly atMs: number
  readonly by: Person
  readonly bytes: Buffer
  /** SHA-256 of the bytes. */
  readonly hash: Buffer
  /** The row in sys_attachment. */
  readonly row: Row & { readonly sys_id: string }
  /** It is also the value of the column `screenshot`. */
  readonly isScreenshot: boolean
}

/** Only tickets of these days have files: a few dozen, so that the first start does not wait for the disk. */
const daysOfFiles = 21

/** The attachments of a ticket so far: pictures of callers, logs of monitoring, quotations, plans, lists. */
export function filesOf(ticket: Ticket, { random, ground }: World): readonly FileOfTicket[] {
  const { story } = ticket
  if (story === undefined) return []
  const isRecent = (atMs: number): boolean => atMs <= ground.nowMs && atMs > ground.nowMs - daysOfFiles * dayMs
  const attach = (atMs: number, by: Person, drawn: Drawn): FileOfTicket => {
    const hash = createHash('sha256').update(drawn.bytes).digest()
    const row = rowOf(drawn, { ticket, atMs, by, hash, ground })
    return { atMs, by, bytes: drawn.bytes, hash, row, isScreenshot: drawn.isScreenshot === true }
  }
  const pictures = ticket.steps
    .filter(({ sends, atMs }) => sends === 'picture' && isRecent(atMs))
    .map(({ atMs, by }) => attach(atMs, by, pictureOf(story, by, atMs)))
  const atMs = ticket.openedAtMs + minuteMs
  if (!isRecent(atMs) || !random.chance(chances[ticket.table] ?? 0)) return pictures
  const drawn = drawFor(ticket, story)
  return drawn === null ? pictures : [...pictures, attach(atMs, ticket.openedBy, drawn)]
}

interface Drawn {
  readonly name: string
  readonly bytes: Buffer
  readonly isScreenshot?: true
}

interface Attaching {
  readonly ticket: Ticket
  readonly atMs: number
  readonly by: Person
  readonly hash: Buffer
  readonly ground: Ground
}

function rowOf({ name, bytes }: Drawn, { ticket, atMs, by, hash, ground }: Attaching): FileOfTicket['row'] {
  const at = timestamp(atMs)
  return {
    sys_id: ground.newSysId(atMs),
    sys_created_at: at,
    sys_created_by: by.id,
    sys_updated_at: at,
    sys_updated_by: by.id,
    sys_db_table_id: ground.classId('sys_attachment'),
    file_name: name,
    table_id: ground.classId(ticket.table),
    record_id: ticket.id,
    content_type: mediaTypes[extname(name)],
    size_bytes: String(bytes.length),
    hash: hash.toString('hex'),
  }
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.pdf': 'application/pdf',
  '.csv': 'text/csv',
  '.log': 'text/plain',
  '.txt': 'text/plain',
}

/** The change log entry of an attached file. */
export function changeOf({ row, atMs, by }: FileOfTicket, ground: Ground): LoggedChange {
  const { file_name, table_id, record_id, content_type, size_bytes, hash } = row
  return logged({
    operation: 'c',
    table_id: ground.classId('sys_attachment'),
    record_id: row.sys_id,
    atMs,
    by: by.id,
    changes: { file_name, table_id, record_id, content_type, size_bytes, hash },
    audited: false,
  })
}

/** The share of possible files that exist. */
const chances: Partial<Record<Ticket['table'], number>> = {
  itsm_incident: 0.5,
  itsm_request: 0.35,
  itsm_change_request: 0.5,
  itsm_problem: 0.8,
}

function drawFor(ticket: Ticket, story: Story): Drawn | null {
  switch (ticket.table) {
    case 'itsm_incident':
      return ticket.columns['contact_type'] === 'monitoring' ? logOf(ticket, story) : null
    case 'itsm_request':
      return ticket.columns['price'] === null ? null : quotationOf(ticket, story)
    case 'itsm_change_request':
      return planOf(ticket, story)
    case 'itsm_problem':
      return occurrencesOf(ticket, story)
    default:
      return null
  }
}

function pictureOf({ facts, language }: Story, by: Person, atMs: number): Drawn {
  const isRussian = language === 'ru'
  const clock = wallClock(atMs - 15 * minuteMs, by.timeZone)
  return {
    name: `${isRussian ? 'снимок' : 'screenshot'} ${clock.replace(':', '-')}.png`,
    bytes: drawWindow({
      title: facts.asset,
      lines: isRussian
        ? ['ОПЕРАЦИЮ ВЫПОЛНИТЬ НЕ УДАЛОСЬ.', `КОД: ${facts.code.toUpperCase()}`]
        : ['THE OPERATION COULD NOT BE DONE.', `CODE: ${facts.code.toUpperCase()}`],
      clock,
    }),
    isScreenshot: true,
  }
}

/** The observations of monitoring before it opened the ticket. */
function logOf({ openedAtMs, columns }: Ticket, { facts }: Story): Drawn {
  const seen = ['ok', 'ok', 'ok', 'late', 'late', 'failed', 'failed', 'failed']
  const lines = seen.map((outcome, index) => {
    const at = timestamp(openedAtMs - (seen.length - index) * minuteMs)
    const level = { ok: 'INFO', late: 'WARN' }[outcome] ?? 'ERROR'
    const result = { ok: 'answered in 0.2 s', late: 'answered in 4.8 s' }[outcome] ?? `no answer (${facts.code})`
    return `${at}Z ${level.padEnd(5)} ${facts.host} ${facts.ip} probe ${index + 1}: ${result}`
  })
  const opened = `${timestamp(openedAtMs)}Z INFO  ticket opened: ${String(columns['subject'])}`
  return { name: `monitoring ${facts.host}.log`, bytes: Buffer.from(`${[...lines, opened].join('\n')}\n`) }
}

/** A supplier's offer on a page; as a table if it is in Russian, which a PDF without embedded fonts cannot display. */
function quotationOf({ columns, openedAtMs }: Ticket, { facts, language }: Story): Drawn {
  const { subject, quantity, price } = columns
  const each = (Number(price) / Number(quantity)).toFixed(2)
  if (language === 'ru') {
    const rows = [
      ['наименование', 'количество', 'цена', 'сумма'],
      [String(subject), String(quantity), each, String(price)],
      ['итого', '', '', String(price)],
    ]
    return { name: `смета ${facts.doc}.csv`, bytes: table(rows) }
  }
  const lines = [
    `Quotation ${facts.doc}`,
    `Date: ${timestamp(openedAtMs).slice(0, 10)}`,
    '',
    `Subject: ${String(subject)}`,
    `Quantity: ${String(quantity)}`,
    `Price each: ${each}`,
    `Total: ${String(price)}`,
    '',
    'Valid for 30 days. Delivery within five working days of the order.',
  ]
  return { name: `quotation ${facts.doc}.pdf`, bytes: writeSheet(lines) }
}

function planOf({ columns }: Ticket, { language }: Story): Drawn {
  const { subject, description, planned_start: start, planned_end: end, backout_plan: backout } = columns
  if (language === 'ru') {
    const lines = [
      `План работ: ${String(subject)}`,
      '',
      `Начало: ${String(start)} UTC`,
      `Окончание: ${String(end)} UTC`,
      '',
      String(description),
      '',
      `Откат: ${String(backout)}`,
    ]
    return { name: 'план работ.txt', bytes: Buffer.from(`${lines.join('\n')}\n`) }
  }
  const lines = [
    'Change plan',
    String(subject),
    '',
    `Start: ${String(start)} UTC`,
    `End: ${String(end)} UTC`,
    '',
    ...wrapped(String(description)),
    '',
    ...wrapped(`Back-out: ${String(backout)}`),
  ]
  return { name: 'change plan.pdf', bytes: writeSheet(lines) }
}

/** The number of occurrences per day before the problem was opened. */
function occurrencesOf({ openedAtMs, columns }: Ticket, { facts, language }: Story): Drawn {
  const days = Array.from({ length: 7 }, (_, index) => [
    timestamp(openedAtMs - (7 - index) * dayMs).slice(0, 10),
    facts.host,
    String(((Number(facts.count) * (index + 2)) % 9) + 1),
  ])
  const [name, head] =
    language === 'ru'
      ? ['случаи по дням.csv', ['день', 'узел', 'случаев']]
      : ['occurrences by day.csv', ['day', 'host', 'occurrences']]
  return { name, bytes: table([head, ...days, [String(columns['subject']), '', facts.count]]) }
}

/** CSV of RFC 4180. */
function table(rows: readonly (readonly string[])[]): Buffer {
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return Buffer.from(rows.map((row) => `${row.map(cell).join(',')}\r\n`).join(''))
}

const lettersOfLine = 85

function wrapped(text: string): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length + 1 > lettersOfLine) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
