import type { Cell } from 'docket-client'
import type { ReactNode } from 'react'
import { currentLanguage, t } from '../messages/i18n.ts'
import type { Column } from '../table/table-info.ts'
import css from './value.module.css'

/** The API sends times in UTC. */
export const instantOf = (value: unknown): Date | null => {
  const text = typeof value === 'string' ? value : ''
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? new Date(`${text.replace(' ', 'T')}Z`) : null
}

const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(kind: 'near' | 'far' | 'full' | 'year', timeZone: string): Intl.DateTimeFormat {
  const key = `${currentLanguage()} ${kind} ${timeZone}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const options: Intl.DateTimeFormatOptions =
    kind === 'far'
      ? { day: 'numeric', month: 'short', year: 'numeric' }
      : kind === 'year'
        ? { year: 'numeric' }
        : {
            day: 'numeric',
            month: 'short',
            hour: '2-digit',
            minute: '2-digit',
            ...(kind === 'full' ? { year: 'numeric' } : {}),
          }
  const made = new Intl.DateTimeFormat(currentLanguage(), { ...options, timeZone, hour12: false })
  formats.set(key, made)
  return made
}

/** Without the year if it is the current one in this time zone, which may differ from that of the browser. */
export function dateTimeText(at: Date, timeZone: string, isFull = false): string {
  const year = formatOf('year', timeZone)
  const isNear = year.format(at) === year.format(new Date())
  return formatOf(isFull ? 'full' : isNear ? 'near' : 'far', timeZone).format(at)
}

interface ValueProps {
  readonly cell: Cell | undefined
  readonly column: Column
  readonly timeZone: string
}

/** A read-only value. Text is never interpreted as markup. */
export function Value(props: ValueProps) {
  const { cell, column, timeZone } = props
  const at = column.type === 'datetime' ? instantOf(cell?.value) : null
  if (at === null) return valueNode(props)
  return (
    <time dateTime={at.toISOString()} title={cell?.display_value ?? undefined}>
      {dateTimeText(at, timeZone)}
    </time>
  )
}

/** The same with as few elements as possible. Not a component: a list has hundreds of them. */
export function valueNode({ cell, column, timeZone }: ValueProps): ReactNode {
  const displayed = cell?.display_value ?? null
  // A record that the caller may not read.
  if (cell?.value != null && displayed === null && column.type === 'reference') return t('value.notVisible')
  if (cell?.value == null || displayed === null || displayed === '')
    return (
      <span className={css.none} data-empty>
        —
      </span>
    )

  if (column.type === 'datetime') {
    const at = instantOf(cell.value)
    return at === null ? displayed : dateTimeText(at, timeZone)
  }
  if (column.name === 'priority') return <Priority value={String(cell.value)} title={displayed} />
  if (column.name === 'state')
    return (
      <span className={css.state} data-state={String(cell.value)}>
        {displayed}
      </span>
    )
  if (column.type === 'boolean') return cell.value === true ? t('value.yes') : t('value.no')
  if (isMarkup(column)) return plainText(displayed)
  return displayed
}

function Priority({ value, title }: { readonly value: string; readonly title: string }) {
  return (
    <span className={css.priority} data-priority={value}>
      <i aria-hidden="true" />
      {title}
    </span>
  )
}

export const isMarkup = ({ type }: Pick<Column, 'type'>): boolean => type === 'wysiwyg' || type === 'html'

/** As the server writes a tag: in a text without one, `<` is a character as any other. */
const tag = /<\/?[a-z]+\d?(\s[\w-]+="[^"]*")*( \/)?>/
const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** The words of rich text, which may be cut off anywhere. Its markup is read as text and never becomes part of the page. */
export const plainText = (text: string): string =>
  tag.test(text)
    ? text
        .replace(/<[^>]*>?/g, ' ')
        .replace(/&(\w+);/g, (all, name) => characters[name] ?? all)
        .replace(/\s+/g, ' ')
        .trim()
    : text
