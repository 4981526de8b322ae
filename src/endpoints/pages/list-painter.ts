import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { listPainterFile } from '../../config/console-build.ts'

/** A list as HTML, rendered by the components of the console. */
export interface PaintedList {
  readonly html: string
  /** HTML that is displayed if the script of the console cannot be loaded. */
  readonly failure: string
  readonly language: string
  readonly theme: string
  readonly density: string
}

/**
 * `paintList` of the second build of the console (console/src/server/paint-list.tsx). null: the list is not complete without the browser.
 *
 * @param address path and query, without a prefix
 * @param send sends the requests of the list as the caller
 */
export type PaintList = (address: string, send: typeof fetch) => Promise<PaintedList | null>

/**
 * Returns the painter when it is loaded. The first call begins to load it; nobody waits for it, and until then pages are sent without
 * rows.
 */
export function painterLoader(onError: (error: unknown) => void): () => PaintList | null {
  let painter: PaintList | null = null
  let hasBegun = false
  const load = async (): Promise<void> => {
    const module = (await import(pathToFileURL(listPainterFile).href)) as { readonly paintList: PaintList }
    painter = module.paintList
  }
  return () => {
    if (!hasBegun && existsSync(listPainterFile)) {
      hasBegun = true
      load().catch(onError)
    }
    return painter
  }
}
