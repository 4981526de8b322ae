/** A node of a profile, as the inspector returns it (Profiler.Profile). */
interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** Ids of the nodes. */
  readonly samples: readonly number[]
  /** In microseconds, one for each sample. */
  readonly timeDeltas: readonly number[]
}

interface Frame {
  readonly name: string
  readonly from: 'Docket' | 'a library' | 'Node'
  /** Also of what it calls. */
  us: number
  readonly children: Map<string, Frame>
}

const width = 1_200
const rowHeight = 16
/** A narrower frame cannot be seen. */
const minWidth = 0.5
const colors = { Docket: '#f2b36f', 'a library': '#9ec5e8', Node: '#c9c9c9' } as const
/** The thread waits. */
const waiting = new Set(['(idle)'])

/**
 * Draws where a thread spent its time while it was busy: a frame is as wide as the time in its function and all that it calls; callers are
 * above. What is narrower than half a pixel is left out.
 *
 * @returns SVG; each frame says its time in a tooltip
 */
export function drawFlameGraph(profile: CpuProfile, title: string): string {
  const root = framesOf(profile)
  const totalUs = root.us
  const rows: string[] = []
  let depth = 0
  const draw = (frame: Frame, x: number, level: number): void => {
    const share = frame.us / totalUs
    const wide = share * width
    if (wide < minWidth) return
    depth = Math.max(depth, level)
    const y = (level + 2) * rowHeight
    const label = `${frame.name}: ${(share * 100).toFixed(1)} %`
    const text = wide < 40 ? '' : frame.name.slice(0, Math.floor(wide / 6.5))
    rows.push(
      `<g><title>${escaped(label)}</title><rect x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colors[frame.from]}"/>`,
      `${text === '' ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escaped(text)}</text>`}</g>`,
    )
    let from = x
    for (const child of [...frame.children.values()].sort((one, other) => other.us - one.us)) {
      draw(child, from, level + 1)
      from += (child.us / totalUs) * width
    }
  }
  draw(root, 0, 0)
  const height = (depth + 4) * rowHeight
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">`,
    `<text x="2" y="14" font-size="13">${escaped(title)}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n')
}

function framesOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const ownUs = new Map<number, number>()
  for (const [at, id] of samples.entries()) ownUs.set(id, (ownUs.get(id) ?? 0) + Math.max(0, timeDeltas[at] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const root = frameNamed('busy', 'Node')
  const addAll = (ids: readonly number[], parent: Frame): number => {
    let us = 0
    for (const id of ids) {
      const node = byId.get(id)
      if (node === undefined || waiting.has(node.callFrame.functionName)) continue
      const name = nameOf(node)
      const frame = parent.children.get(name) ?? frameNamed(name, sourceOf(node))
      parent.children.set(name, frame)
      const whole = (ownUs.get(id) ?? 0) + addAll(node.children ?? [], frame)
      frame.us += whole
      us += whole
    }
    return us
  }
  root.us = addAll(nodes[0]?.children ?? [], root)
  return root
}

const frameNamed = (name: string, from: Frame['from']): Frame => ({ name, from, us: 0, children: new Map() })

function nameOf({ callFrame: { functionName, url } }: ProfileNode): string {
  const file = url.split('/').slice(-1).join('/')
  return `${functionName === '' ? 'anonymous' : functionName}${file === '' ? '' : ` ${file}`}`
}

function sourceOf({ callFrame: { url } }: ProfileNode): Frame['from'] {
  if (url.includes('/node_modules/')) return 'a library'
  return url.includes('/src/') ? 'Docket' : 'Node'
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
