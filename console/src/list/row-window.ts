import { createListeners } from '../listeners.ts'

/** The rows that are rendered; `last` is one of them. */
export interface RowRange {
  readonly first: number
  readonly last: number
}

interface WindowModel {
  /** Index of the first row. It gets smaller when rows before it are read. */
  readonly origin: number
  /** Index after the last row. */
  readonly end: number
  /** Of a row, in CSS pixels. */
  readonly height: number
  /** What covers the lower edge of the scroller, in CSS pixels. */
  readonly paddingEnd: number
}

/** Rows that are rendered before they come into view, and rows that stay behind. */
const ahead = 12
const behind = 4
/** In CSS pixels: a server knows no height, and renders what most screens display. */
const serverViewHeight = 800
const noRows: RowRange = { first: 0, last: -1 }

/**
 * Which rows of a scroller are rendered. The state is outside React: a scroll event renders those who use the range, and nothing if
 * the range stays the same. The only layout that it reads while the user scrolls is the scroll offset.
 */
export class RowWindow {
  private scroller: HTMLElement | null = null
  private model: WindowModel = { origin: 0, end: 0, height: 1, paddingEnd: 0 }
  private range = noRows
  private top: number
  private isUp = false
  /** Rows were added before those in view: the scroller follows when they are in the page. */
  private isMoved = false
  /** Until the rows in view are on the screen, no other is rendered. */
  private isFirst = true
  /** Of the scroller, without what covers its upper edge. */
  private viewHeight = import.meta.env.SSR ? serverViewHeight : 600
  private readonly listeners = createListeners()

  constructor(top: number) {
    this.top = top
  }

  readonly subscribe = this.listeners.subscribe

  readonly current = (): RowRange => this.range

  /** Called while the list renders: the range is right at once, and nobody has to be notified. */
  setModel(model: WindowModel): void {
    const { origin, end, height, paddingEnd } = this.model
    const isSame = origin === model.origin && end === model.end
    if (isSame && height === model.height && paddingEnd === model.paddingEnd) return
    if (end === model.end && origin > model.origin) {
      this.top += (origin - model.origin) * model.height
      this.isMoved = true
    }
    this.model = model
    this.range = this.rangeNow()
  }

  /** Ref of the scroller. Its rows are in the element with the role rowgroup that is last. */
  readonly attach = (scroller: HTMLElement | null): (() => void) | undefined => {
    this.scroller = scroller
    if (scroller === null) return undefined
    scroller.scrollTop = this.top
    const onScroll = (): void => {
      scroller.toggleAttribute('data-shifted', scroller.scrollLeft !== 0)
      this.follow(scroller.scrollTop)
    }
    const measure = (): void => {
      const rows = scroller.querySelector<HTMLElement>('[role=rowgroup]:last-child')
      this.viewHeight = Math.max(0, scroller.clientHeight - (rows?.offsetTop ?? 0))
      this.update()
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(scroller)
    let timer = 0
    const frame = requestAnimationFrame(() => {
      timer = window.setTimeout(() => this.follow(scroller.scrollTop))
    })
    scroller.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      window.clearTimeout(timer)
      scroller.removeEventListener('scroll', onScroll)
      this.scroller = null
    }
  }

  /** Called when the rows are in the page, before it is painted: those in view stay where they are. */
  readonly settle = (): void => {
    if (!this.isMoved || this.scroller === null) return
    this.isMoved = false
    this.scroller.scrollTop = this.top
  }

  scrollTop(): number {
    return this.top
  }

  isInView(index: number): boolean {
    const start = (index - this.model.origin) * this.model.height
    return start >= this.top && start + this.model.height <= this.top + this.viewHeight
  }

  pageRows(): number {
    return Math.max(1, Math.floor((this.viewHeight - this.model.paddingEnd) / this.model.height) - 1)
  }

  /** Scrolls as little as is needed to display the whole row. */
  scrollToIndex(index: number): void {
    const { origin, height, paddingEnd } = this.model
    const start = (index - origin) * height
    const end = start + height - this.viewHeight + paddingEnd
    const top = start < this.top ? start : Math.max(end, this.top)
    if (top === this.top || this.scroller === null) return
    this.scroller.scrollTop = top
    this.follow(this.scroller.scrollTop)
  }

  private follow(top: number): void {
    if (top !== this.top) this.isUp = top < this.top
    this.top = top
    this.isFirst = false
    this.update()
  }

  private update(): void {
    const next = this.rangeNow()
    if (next.first === this.range.first && next.last === this.range.last) return
    this.range = next
    this.listeners.notify()
  }

  private rangeNow(): RowRange {
    const { origin, end, height } = this.model
    if (end <= origin) return noRows
    const [before, after] = this.isFirst ? [0, 0] : this.isUp ? [ahead, behind] : [behind, ahead]
    const first = origin + Math.floor(this.top / height) - before
    const last = origin + Math.floor((this.top + this.viewHeight) / height) + after
    return { first: Math.max(origin, Math.min(end - 1, first)), last: Math.min(end - 1, last) }
  }
}
