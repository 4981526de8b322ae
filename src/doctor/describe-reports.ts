import type { Report } from './examine.ts'
import { type FaultName, faults, type Level } from './faults.ts'

/** A line of `docket doctor`, and an element of what `docket doctor --json` prints. */
export interface Line {
  readonly check: string
  readonly status: 'ok' | 'skipped' | Level
  readonly fault: FaultName | null
  /** What there is, what is wrong, or why the check did not run. */
  readonly message: string
  readonly where: string | null
  readonly cure: string | null
}

/** A line for each check, or one for each of its findings. */
export function linesOf(reports: readonly Report[]): readonly Line[] {
  return reports.flatMap(({ check, skipped, summary, findings }): readonly Line[] => {
    const nothing = { check, fault: null, where: null, cure: null }
    if (skipped !== null) return [{ ...nothing, status: 'skipped', message: skipped }]
    if (findings.length === 0) return [{ ...nothing, status: 'ok', message: summary }]
    return findings.map(({ fault, what, where, cure }) => ({
      ...{ check, status: faults[fault], fault },
      ...{ message: what, where, cure },
    }))
  })
}

/** As text in columns: status, check, message. */
export function printLines(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(({ check }) => check.length))
  return lines.map((line) => `${line.status.padEnd(7)}  ${line.check.padEnd(width)}  ${textOf(line)}\n`).join('')
}

function textOf({ fault, message, where, cure }: Line): string {
  const text = fault === null ? message : `${fault}: ${message}. Where: ${where}. Cure: ${cure}`
  // What a name in the database holds must not move the cursor of a terminal, or begin a line.
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}

export const hasFault = (lines: readonly Line[]): boolean => lines.some(({ status }) => status === 'fault')
