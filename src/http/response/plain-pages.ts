import { type Html, html } from './html.ts'
import type { WholeResponse } from './send-response.ts'

/** Scripts and styles from this server only, none inline, no markup from scripts; connections to this server only; no framing. */
const consoleHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types docket-worker',
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // An empty value would keep the defaults: each feature of the browser is denied by name.
  'permissions-policy': [
    'accelerometer',
    'camera',
    'display-capture',
    'geolocation',
    'gyroscope',
    'hid',
    'magnetometer',
    'microphone',
    'midi',
    'payment',
    'serial',
    'usb',
  ]
    .map((feature) => `${feature}=()`)
    .join(', '),
}

export function htmlResponse(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  const all = { 'content-type': 'text/html; charset=utf-8', vary: 'accept', ...consoleHeaders, ...headers }
  return { status, headers: all, body }
}

/** A page without a script. */
export function plainPage(prefix: string, title: string, content: Html, refreshSeconds: number | null): string {
  const refresh =
    refreshSeconds === null ? html`` : html`<meta http-equiv="refresh" content="${String(refreshSeconds)}">`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${refresh}
<link rel="stylesheet" href="${prefix}/console/plain.css">
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text
}

/** While the console is being built: the page reloads by itself. */
export const buildingPage = (prefix: string): string =>
  plainPage(
    prefix,
    'The console is being prepared',
    html`<p>This takes a few seconds after an update. The page opens by itself. The API already responds.</p>
<p lang="ru">Консоль готовится. Страница откроется сама через несколько секунд. API уже отвечает.</p>`,
    1,
  )

export const buildFailedPage = (prefix: string, error: string): string =>
  plainPage(
    prefix,
    'The console could not be built',
    html`<p>Everything else works. Run this where Docket is installed, then reload the page:</p>
<pre>npm ci &amp;&amp; npm run build</pre>
<p>The build reported:</p>
<pre>${error}</pre>`,
    null,
  )

/** There is nothing to build from, or no right to write the result. */
export const unbuiltPage = (prefix: string): string =>
  plainPage(
    prefix,
    'The console is not built',
    html`<p>Everything else works. Run this where Docket is installed, then reload the page:</p>
<pre>npm ci &amp;&amp; npm run build</pre>`,
    null,
  )

export const notFoundPage = (prefix: string): string =>
  plainPage(
    prefix,
    'Nothing is here',
    html`<p>There is no page at this address. <a href="${prefix}/console">Open the console</a>.</p>
<p lang="ru">По этому адресу ничего нет. <a href="${prefix}/console">Открыть консоль</a>.</p>`,
    null,
  )

/** For the pages above, which have no script. */
export const plainCss = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; min-height: 100vh; place-content: center; background: light-dark(#f6f7f7, #15191a); color: light-dark(#1c2426, #e6ebea); }
main { max-width: 36rem; padding: 2rem; }
h1 { font-size: 1.375rem; margin: 0 0 .75rem; }
p { margin: .5rem 0; }
p[lang=ru] { color: light-dark(#56646a, #9aa8a7); }
a { color: light-dark(#0a6b5f, #5cc7b6); }
pre { padding: .75rem 1rem; overflow: auto; border-radius: 8px; background: light-dark(#e9eded, #1f2628); font-size: .875rem; white-space: pre-wrap; }
`
