import { crc32, deflateSync } from 'node:zlib'
import { letterHeight, letterWidth, rowsOf } from './letters.ts'

/** The words of a picture of a message on the screen, in capitals. */
export interface WindowWords {
  readonly title: string
  readonly lines: readonly string[]
  /** `HH:MM`, in the corner. */
  readonly clock: string
}

const width = 560
const height = 200
const palette = { desktop: 0, title: 1, paper: 2, ink: 3, alarm: 4, button: 5 } as const
const colours = ['2f5d73', '1f3a5f', 'f4f4f2', '20242a', 'c0392b', 'd9dcdd']
type Colour = keyof typeof palette

/** A window with a message, as a PNG of about one kilobyte. */
export function drawWindow({ title, lines, clock }: WindowWords): Buffer {
  const points = new Uint8Array(width * height)
  const fill = (colour: Colour, [left, top, right, bottom]: readonly [number, number, number, number]): void => {
    for (let y = top; y < bottom; y++) points.fill(palette[colour], y * width + left, y * width + right)
  }
  const write = (text: string, [left, top]: readonly [number, number], colour: Colour): void => {
    for (const [place, sign] of [...text].entries())
      for (const [row, bits] of rowsOf(sign).entries())
        for (let column = 0; column < letterWidth; column++) {
          if (((bits >> (letterWidth - 1 - column)) & 1) === 0) continue
          const [x, y] = [left + 2 * (place * (letterWidth + 1) + column), top + 2 * row]
          fill(colour, [x, y, x + 2, y + 2])
        }
  }
  fill('paper', [20, 20, 540, 170])
  fill('title', [20, 20, 540, 46])
  write(title, [30, 26], 'paper')
  for (let y = -14; y <= 14; y++) {
    const half = Math.round(Math.sqrt(14 * 14 - y * y))
    fill('alarm', [56 - half, 84 + y, 56 + half, 85 + y])
  }
  write('X', [52, 78], 'paper')
  for (const [index, line] of lines.entries()) write(line, [86, 66 + index * 3 * letterHeight], 'ink')
  fill('button', [440, 136, 520, 160])
  write('OK', [469, 141], 'ink')
  write(clock, [490, 180], 'paper')
  return writePng(points)
}

/** Eight bits per pixel, with a palette; no filters, which pictures with few colours do not need. */
function writePng(points: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) rows.set(points.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colours.join(''), 'hex')),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
