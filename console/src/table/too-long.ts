import { t } from '../messages/i18n.ts'
import type { Column } from './table-info.ts'

/**
 * What a field says about a text that is too long; undefined: it is not. The limit is never the attribute `maxLength`: browsers cut a pasted text
 * by it without a message. The server counts in characters, too.
 */
export function longerThan(max: number, text: string): string | undefined {
  if (text.length <= max) return undefined
  const count = [...text].length
  return count <= max ? undefined : t('edit.tooLong', { max, count })
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'translated_text', 'text', 'email', 'phone', 'url'])

export const tooLong = ({ maxLength, type }: Column, text: string): string | undefined =>
  maxLength === null || !PLAIN.has(type) ? undefined : longerThan(maxLength, text)
