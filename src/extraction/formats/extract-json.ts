import { readJson } from '../read/read-json.ts'
import type { TextSink } from '../text-builder.ts'
import { linesOf } from './extract-plain.ts'

/**
 * Adds JSON as lines of `path: value`. Each member of the outermost object or array is a block.
 *
 * @returns false when the text is not JSON; then nothing was added
 */
export function extractJson(text: string, into: TextSink): boolean {
  const blocks: string[] = []
  let lines: string[] = []
  const isJson = readJson(text, {
    value(path, value) {
      if (value !== '') lines.push(path === '' ? value : `${path}: ${value}`)
    },
    endOfMember() {
      if (lines.length > 0) blocks.push(lines.join('\n'))
      lines = []
    },
  })
  if (!isJson) return false
  for (const block of blocks) into.add('list-item', block)
  return true
}

/** Adds JSON lines, one block each. A line that is not JSON is added unchanged. */
export function extractJsonLines(text: string, into: TextSink): void {
  for (const { text: line } of linesOf(text.replace(/\r\n?/g, '\n'))) {
    const lines: string[] = []
    const isJson = readJson(line, {
      value: (path, value) => lines.push(path === '' ? value : `${path}: ${value}`),
      endOfMember: () => undefined,
    })
    into.add('list-item', isJson ? lines.join('\n') : line)
  }
}

/** Whether the first lines are JSON objects or arrays: at least two, or one if the file name says so. */
export function isJsonLines(text: string, isStated: boolean): boolean {
  let seen = 0
  for (const { text: raw } of linesOf(text.slice(0, 1_000_000))) {
    const line = raw.trim()
    if (line === '') continue
    if (!/^[{[]/.test(line) || !readJson(line, { value: () => undefined, endOfMember: () => undefined }))
      return seen > 0 && text.length > 1_000_000
    if (++seen === 20) return true
  }
  return seen >= (isStated ? 1 : 2)
}
