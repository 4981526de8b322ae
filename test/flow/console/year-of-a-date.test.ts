import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// Of the console, which has its own settings of the compiler.
const file = new URL('../../../console/src/ui/value.tsx', import.meta.url).pathname
const { dateTimeText } = (await import(file)) as { readonly dateTimeText: (at: Date, timeZone: string) => string }

const zoneBefore = process.env['TZ']
beforeEach(() => {
  // The zone of the browser: the next year begins there before it begins for the user.
  process.env['TZ'] = 'Pacific/Kiritimati'
  vi.useFakeTimers({ now: new Date('2026-12-31T20:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
  if (zoneBefore === undefined) delete process.env['TZ']
  else process.env['TZ'] = zoneBefore
})

test('a date has a year if it is not the current one where the user is, wherever the browser is', () => {
  const evening = new Date('2026-12-31T10:00:00Z')
  expect(dateTimeText(evening, 'Asia/Vladivostok')).toContain('2026')
  expect(dateTimeText(evening, 'Europe/Moscow')).not.toContain('2026')
  expect(dateTimeText(evening, 'Pacific/Kiritimati')).not.toContain('2027')
})
