import { expect, test } from 'vitest'
import { VectorPage } from './vector-page.ts'

test('rows of any place in memory are read, and the next ones take the same memory (issue 14, vectors)', () => {
  const page = new VectorPage()
  const bytesOf = (...numbers: number[]): Uint8Array => {
    const bytes = new Uint8Array(1 + numbers.length * 4)
    bytes.set(new Uint8Array(Float32Array.from(numbers).buffer), 1)
    return bytes.subarray(1)
  }
  const [first, second] = page.put([bytesOf(1, 2, 3), bytesOf(4)])
  expect([first, second]).toEqual([Float32Array.of(1, 2, 3), Float32Array.of(4)])
  const [next] = page.put([bytesOf(5, 6)])
  expect(next).toEqual(Float32Array.of(5, 6))
  expect(next?.buffer).toBe(first?.buffer)
  const [longer] = page.put([bytesOf(...Array.from({ length: 100 }, (_, at) => at))])
  expect(longer).toEqual(Float32Array.from({ length: 100 }, (_, at) => at))
  expect(page.put([])).toEqual([])
})
