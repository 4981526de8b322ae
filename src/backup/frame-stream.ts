import { StartFailure } from '../kernel/start-failure.ts'
import type { Frame, FrameKind, Totals } from './frames.ts'
import { type Manifest, manifestShape } from './manifest.ts'

type HeaderOf<K extends FrameKind['kind']> = Extract<FrameKind, { readonly kind: K }>

/** The frames of a backup in the order in which a restore needs them. Digests are already checked; this checks the order. */
export class FrameStream {
  readonly #frames: AsyncIterator<Frame>
  #next: Frame | undefined

  constructor(frames: AsyncIterable<Frame>) {
    this.#frames = frames[Symbol.asyncIterator]()
  }

  async takeManifest(name: string): Promise<Manifest> {
    await this.#advance()
    const { payload } = this.#take('manifest')
    await this.#advance()
    const read = manifestShape.safeParse(JSON.parse(payload.toString('utf8')))
    if (read.success) return read.data
    throw new StartFailure(
      `${name} has a manifest that this Docket does not understand: restore it with the version that wrote it.`,
      {
        cause: read.error,
      },
    )
  }

  /** The rows of a table, up to its end. */
  async *rowsOf(table: string): AsyncGenerator<Buffer> {
    for (;;) {
      const frame = this.#next
      if (frame?.header.kind !== 'rows' || frame.header.table !== table) return
      yield frame.payload
      await this.#advance()
    }
  }

  /** The end frame of the table whose rows were read; what follows is read on demand. */
  async takeTable(table: string): Promise<HeaderOf<'table'>> {
    const { header } = this.#take('table')
    if (header.table !== table) throw new Error(`the backup has the table ${header.table} where ${table} should be`)
    await this.#advance()
    return header
  }

  async *files(): AsyncGenerator<{ readonly header: HeaderOf<'file'>; readonly payload: Buffer }> {
    for (;;) {
      const frame = this.#next
      if (frame?.header.kind !== 'file') return
      yield { header: frame.header, payload: frame.payload }
      await this.#advance()
    }
  }

  /** Reads to the last byte, so that damage at the end is found too. */
  async takeEnd(): Promise<Totals> {
    const { header } = this.#take('end')
    await this.#advance()
    return header.totals
  }

  #take<K extends FrameKind['kind']>(kind: K): { readonly header: HeaderOf<K>; readonly payload: Buffer } {
    const frame = this.#next
    if (frame?.header.kind !== kind)
      throw new Error(`the backup has a frame ${frame?.header.kind ?? 'less'} where ${kind} should be`)
    return frame as { readonly header: HeaderOf<K>; readonly payload: Buffer }
  }

  async #advance(): Promise<void> {
    const { value, done } = await this.#frames.next()
    this.#next = done ? undefined : value
  }
}
