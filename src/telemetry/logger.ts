import { pino } from 'pino'
import type { Clock } from '../kernel/clock.ts'
import { type Description, describeObservation } from './describe-observation.ts'
import type { Observe } from './observation.ts'

export interface LogOptions {
  readonly level: 'silent' | Description['level']
  /** One JSON object or one readable line for each observation. */
  readonly format: 'json' | 'text'
  readonly write: (line: string) => void
  readonly clock: Clock
}

/** Writes what is observed, from `level` up. */
export function logObservations({ level, format, write, clock }: LogOptions): Observe {
  const { levels } = pino
  const minLevel = level === 'silent' ? Number.POSITIVE_INFINITY : (levels.values[level] ?? 0)
  const writeEntry = format === 'json' ? jsonWriter(write, clock) : textWriter(write, clock)
  return (seen) => {
    // Before the sentence is made: at the usual level a finished request costs one comparison.
    if (seen.kind === 'request-finished' && minLevel > (levels.values['debug'] ?? 0)) return
    const description = describeObservation(seen)
    if ((levels.values[description.level] ?? 0) >= minLevel) writeEntry(description, seen)
  }
}

type EntryWriter = (description: Description, details: object) => void

function jsonWriter(write: LogOptions['write'], clock: Clock): EntryWriter {
  const logger = pino(
    {
      level: 'debug',
      timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
    },
    { write },
  )
  return ({ level, message }, details) => logger[level](details, message)
}

function textWriter(write: LogOptions['write'], clock: Clock): EntryWriter {
  return ({ level, message }) => {
    const time = new Date(clock.nowMs()).toISOString().slice(11, 19)
    write(`${time} ${level === 'info' ? '' : `${level.toUpperCase()}: `}${message}\n`)
  }
}
