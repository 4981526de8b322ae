/** Progress of a long command: on a terminal a bar that is redrawn, otherwise a line now and then. */
export interface Progress {
  /** Counts one more. @param about a text that is displayed after the bar */
  step(about: string): void
  /** Sets how much is done and how much there is, for work that counts itself. */
  reach(done: number, of: number): void
  /** A line of its own, which stays. */
  note(line: string): void
  /** Leaves the terminal as it was. */
  end(): void
}

export interface ProgressOptions {
  /** What is counted, such as "documents". */
  readonly unit: string
  /** null: the total is unknown. */
  readonly total: number | null
  readonly out: Terminal
}

/** The part of a stream that is needed; standard error is one. */
export interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Without a terminal: a line for each tenth of the total, or for each thousand if the total is unknown. */
const lines = 10
const linesEvery = 1_000
/** Milliseconds; enough for a terminal over a slow line. */
const redrawEveryMs = 80
const usualColumns = 80

export function showProgress({ unit, total, out }: ProgressOptions): Progress {
  return out.isTTY === true ? bar(unit, total, out) : plainLines(unit, total, out)
}

function plainLines(unit: string, givenTotal: number | null, out: Terminal): Progress {
  let done = 0
  let reported = 0
  const reach = (reached: number, total: number | null): void => {
    done = reached
    const every = total === null ? linesEvery : Math.max(Math.ceil(total / lines), 1)
    if (done - reported < every && done !== total) return
    if (done === reported) return
    reported = done
    out.write(`${done}${total === null ? '' : ` of ${total}`} ${unit}\n`)
  }
  return {
    step: () => reach(done + 1, givenTotal),
    reach,
    note: (line) => void out.write(`${plainLine(line)}\n`),
    end: () => undefined,
  }
}

function bar(unit: string, givenTotal: number | null, out: Terminal): Progress {
  let done = 0
  let total = givenTotal
  let about = ''
  let drawnMs = Number.NEGATIVE_INFINITY
  const draw = (): void => {
    drawnMs = performance.now()
    // A terminal of unknown width reports 0.
    const columns = out.columns === undefined || out.columns < 1 ? usualColumns : out.columns
    out.write(`\r\x1b[K${barLine({ done, total, unit, about }, columns - 1)}`)
  }
  const drawSoon = (): void => {
    if (performance.now() - drawnMs >= redrawEveryMs || done === total) draw()
  }
  return {
    step(what) {
      done++
      about = what
      drawSoon()
    },
    reach(reached, of) {
      done = reached
      total = of
      drawSoon()
    },
    note(line) {
      out.write(`\r\x1b[K${plainLine(line)}\n`)
      draw()
    },
    end: () => void out.write('\r\x1b[K'),
  }
}

export interface BarState {
  readonly done: number
  readonly total: number | null
  readonly unit: string
  readonly about: string
}

const barCells = 24

/** One line of a terminal, never longer than `columns`: characters that take two cells count as two. */
export function barLine({ done, total, unit, about }: BarState, columns: number): string {
  const share = total === null ? null : total === 0 ? 1 : Math.min(done / total, 1)
  const filled = Math.floor((share ?? 0) * barCells)
  const cells = `${'█'.repeat(filled)}${'░'.repeat(barCells - filled)}`
  const counted = total === null ? `${done} ${unit}` : `${done}/${total} ${unit}`
  const head = share === null ? counted : `${cells} ${String(Math.floor(share * 100)).padStart(3)} %  ${counted}`
  return cutToCells(about === '' ? head : `${head}  ${about}`, columns)
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const isWide = /[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦]|\p{Extended_Pictographic}/u

/** Names of files and documents can be any text: control characters and characters that change the writing direction become spaces. */
export function plainLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

function cutToCells(text: string, columns: number): string {
  let cells = 0
  let cut = ''
  for (const { segment } of segmenter.segment(plainLine(text))) {
    cells += isWide.test(segment) ? 2 : 1
    if (cells > columns) return cut
    cut += segment
  }
  return cut
}
