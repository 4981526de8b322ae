/**
 * What the date language of conditions is computed from and computed into. Everything here is whole seconds: stored
 * timestamps are displayed in seconds, so "until 23:59:59" means until the next day begins.
 */

/** Time and time zone of the request. */
export interface Moment {
  /** Milliseconds since 1970-01-01T00:00:00Z; take it from a `Clock`. */
  readonly nowMs: number
  /** IANA name of the caller's time zone. */
  readonly timeZone: string
}

/** One second, in the forms that columns of the three types are compared with. */
export interface Instant {
  /** `YYYY-MM-DD HH:MM:SS` in UTC, for datetime columns. */
  readonly utc: string
  /** `YYYY-MM-DD` in the caller's zone, for date columns. */
  readonly localDate: string
  /** `HH:MM:SS` in the caller's zone, for time columns. */
  readonly localTime: string
}

/** A half-open range; a null end is open. Both forms of an end are open together. */
export interface DateRange {
  /** `YYYY-MM-DD HH:MM:SS` in UTC, inclusive; for datetime columns. */
  readonly from: string | null
  /** The same, exclusive. */
  readonly to: string | null
  /** The first of the caller's days that the range touches, `YYYY-MM-DD`, inclusive; for date columns. */
  readonly fromDate: string | null
  /** The day after the last, exclusive. */
  readonly toDate: string | null
}

export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter' | 'year'
export type ClockUnit = 'hour' | 'minute'
export type DateUnit = CalendarUnit | ClockUnit
