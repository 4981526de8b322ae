import type { ProblemOf } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { documentLimits } from '../document-limits.ts'

/**
 * The name by which a file is displayed and identified; it never becomes a path. Leading folders, control characters
 * and marks that change the writing direction are removed.
 *
 * @returns null when nothing is left
 */
export function readFileName(sent: string | undefined): Result<string | null, ProblemOf<'invalid-value'>> {
  const last = (sent ?? '').toWellFormed().normalize('NFC').split(/[\\/]/).at(-1) ?? ''
  const plain = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  if (plain === '' || plain === '.' || plain === '..') return succeed(null)
  if (plain.length <= documentLimits.fileNameUnits) return succeed(plain)
  const detail = `its name is ${plain.length} characters long; at most ${documentLimits.fileNameUnits} are allowed`
  return fail({ kind: 'invalid-value', field: 'file', detail })
}
