import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Machine } from './machine.ts'

const folder = fileURLToPath(new URL('../results', import.meta.url))

/**
 * Writes `bench/results/NAME-DATE.json` and `.md`, and prints the page.
 *
 * @param measured all measurements, as JSON
 * @param page lines of Markdown, without the title
 */
export function writeResults<Measured extends { readonly machine: Machine }>(
  name: string,
  measured: Measured,
  page: readonly string[],
): void {
  const day = measured.machine.date.slice(0, 10)
  const text = `# ${name}, ${day}\n\n${machineLine(measured.machine)}\n\n${page.join('\n')}\n`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}-${day}.json`), `${JSON.stringify(measured, null, 2)}\n`)
  writeFileSync(join(folder, `${name}-${day}.md`), text)
  process.stdout.write(`\n${text}`)
}

function machineLine(machine: Machine): string {
  const { cpu, cores, memoryGiB, kernel, node, commit, loadAverage, date } = machine
  return `Measured ${date} UTC at commit ${commit} on ${cpu}, ${cores} cores, ${memoryGiB} GiB, Linux ${kernel}, Node ${node}; load average before the rounds ${loadAverage}.`
}

/** Writes a picture (SVG) into `bench/results`, and prints its name. */
export function writePicture(name: string, svg: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.svg`), svg)
  process.stdout.write(`${name}.svg\n`)
}

/** A Markdown table. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map((_head, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)]
}
