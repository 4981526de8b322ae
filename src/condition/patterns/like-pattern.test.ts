import { expect, test } from 'vitest'
import { likePattern } from './like-pattern.ts'

test.each([
  ['printer', 'inside', '%printer%'],
  ['100%_\\', 'inside', '%100\\%\\_\\\\%'],
  ['INC', 'start', 'INC%'],
  ['42', 'end', '%42'],
  ['', 'inside', '%%'],
] as const)('%j %s a value is the pattern %j', (text, position, pattern) => {
  expect(likePattern(text, position)).toBe(pattern)
})
