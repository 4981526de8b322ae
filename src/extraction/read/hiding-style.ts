/**
 * The visibility of text in an inline style, in one of a few forms; `''` if the style does not affect it. So a page with many
 * different styles has few different elements.
 */
export function hidingStyle(style: string): string {
  const removed = removes.test(style) ? ['display:none'] : []
  const transparent = clears.test(style) ? ['opacity:0'] : []
  const visible = lastValue(visibility, style)
  const size = lastValue(fontSize, style)
  return [
    ...removed,
    ...transparent,
    ...(visible === undefined ? [] : [`visibility:${/^(?:hidden|collapse)/i.test(visible) ? 'hidden' : 'visible'}`]),
    ...(size === undefined ? [] : [`font-size:${sizeOf(size)}`]),
  ].join(';')
}

/** Nothing inside is visible, whatever its own style is; transparent content keeps its place. */
const removes = /(?:^|[;\s])display\s*:\s*none/i
const clears = /(?:^|[;\s])opacity\s*:\s*0(?:\.0*)?%?(?![.\d])/i
const visibility = /(?:^|[;\s])visibility\s*:\s*([^;\s]+)/gi
const fontSize = /(?:^|[;\s])font-size\s*:\s*([^;\s]+)/gi

function lastValue(declaration: RegExp, style: string): string | undefined {
  const values = Array.from(style.matchAll(declaration), ([, value = '']) => value)
  return values.findLast((value) => !/^inherit/i.test(value))
}

/** `0`, a share of the outer size, or an absolute size. */
function sizeOf(value: string): '0' | '1em' | '1px' {
  if (/^0(?:\.0*)?(?![.\d])/.test(value)) return '0'
  return /^(?:[\d.]+(?:em|ex|%)|smaller|larger)/i.test(value) ? '1em' : '1px'
}
