import { html } from '../../http/response/html.ts'
import { withoutBeginning } from './console-page.ts'
import type { ListWithResponses } from './paint-list.ts'
import type { ReadResponse } from './send-as-caller.ts'

interface PaintedPageParts extends ListWithResponses {
  readonly prefix: string
  /** Names of the assets of the console. */
  readonly assets: Iterable<string>
}

/**
 * The page of the console with a list in it, and with the responses that the console would request. The script of the list displays it and
 * then loads the console (console/src/painted/display-painted-list.ts).
 */
export function paintedPage(page: string, { list, responses, prefix, assets }: PaintedPageParts): string {
  const folder = html`${prefix}/console/assets/`.text
  const names = [...assets]
  const style = names.find((name) => /^app-.*\.css$/.test(name))
  const script = names.find((name) => /^painted-list-.*\.js$/.test(name))
  // Attributes are matched as a whole, so that nothing is found in the value of another one.
  const withPrefix = (markup: string): string =>
    markup.replaceAll(/ ([\w:-]+)="(\/?)[^"]*"/g, (whole, name, slash) =>
      name === 'href' && slash === '/' ? whole.replace('/', () => html`${prefix}/`.text) : whole,
    )
  const painted = html`<div id="painted-list" aria-hidden="true" data-theme="${list.theme}" data-density="${list.density}">`
  return withoutBeginning(page)
    .replace('<html lang="en">', () => html`<html lang="${list.language}">`.text)
    .replace(
      '</head>',
      () =>
        `<link rel="stylesheet" crossorigin href="${folder}${style}">\n` +
        // Nothing is rendered before the list is there and its script has displayed it: a browser would lay out half of it, hidden.
        `<link rel="expect" blocking="render" href="#start-failure">\n` +
        `<script type="module" async blocking="render" crossorigin src="${folder}${script}"></script>\n  </head>`,
    )
    .replace(
      '<div id="root"></div>',
      (root) =>
        // Neither the script nor the browser waits for the responses, which are most of the page.
        `${root}\n${painted.text}${withPrefix(list.html)}</div>\n${withPrefix(list.failure)}\n` +
        `<div id="responses">${responses.map(embedded).join('')}</div>`,
    )
}

/** A block of data, which the browser does not execute. Its text ends at the first `</script`. */
function embedded({ address, headers, body }: ReadResponse): string {
  const data = body.replace(/[<\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const opening = html`<script type="application/json" data-address="${address}" data-headers="${JSON.stringify(headers)}">`
  return `${opening.text}${data}</script>`
}
