import { deflateSync } from 'node:zlib'

/** A line of Latin text: size of letters, place from the bottom left, in points. */
export type PdfRun = readonly [size: number, x: number, y: number, text: string]

export interface PdfToWrite {
  readonly pages: readonly (readonly PdfRun[])[]
  readonly outline?: readonly string[]
  readonly title?: string
  /** Instead of the runs: the content of every page as it is. */
  readonly rawContent?: Uint8Array
}

/** A PDF of A4 pages in Helvetica. */
export function writePdf({ pages, outline = [], title, rawContent }: PdfToWrite): Buffer {
  const objects: Buffer[] = []
  const add = (body: string | Buffer): number => objects.push(Buffer.from(body))
  const catalog = add('')
  const tree = add('')
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>')
  const kids = pages.map((runs) => {
    const content = deflateSync(rawContent ?? Buffer.from(runs.map(showRun).join('\n'), 'latin1'))
    const stream = add(
      Buffer.concat([
        Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
        content,
        Buffer.from('\nendstream'),
      ]),
    )
    return add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 595 842] /Contents ${stream} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
    )
  })
  const first = objects.length + 2
  const outlines =
    outline.length === 0
      ? undefined
      : add(
          `<< /Type /Outlines /First ${first} 0 R /Last ${first + outline.length - 1} 0 R /Count ${outline.length} >>`,
        )
  for (const [index, entry] of outline.entries()) {
    const next = index + 1 < outline.length ? `/Next ${first + index + 1} 0 R` : ''
    add(`<< /Title (${escaped(entry)}) /Parent ${outlines} 0 R ${next} /Dest [${kids[0]} 0 R /Fit] >>`)
  }
  const info = title === undefined ? undefined : add(`<< /Title (${escaped(title)}) >>`)
  objects[catalog - 1] = Buffer.from(
    `<< /Type /Catalog /Pages ${tree} 0 R ${outlines === undefined ? '' : `/Outlines ${outlines} 0 R`} >>`,
  )
  objects[tree - 1] = Buffer.from(
    `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`,
  )
  return assemble(objects, `/Root ${catalog} 0 R ${info === undefined ? '' : `/Info ${info} 0 R`}`)
}

const escaped = (text: string): string => text.replace(/[\\()]/g, '\\$&')
const showRun = ([size, x, y, text]: PdfRun): string => `BT /F1 ${size} Tf ${x} ${y} Td (${escaped(text)}) Tj ET`

function assemble(objects: readonly Buffer[], trailer: string): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let offset = parts[0]?.length ?? 0
  for (const [index, body] of objects.entries()) {
    const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')])
    offsets.push(offset)
    offset += object.length
    parts.push(object)
  }
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${offset}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
