import { html } from '../../http/response/html.ts'

/** What the page tells its script. Everybody who can reach the server may read it. */
export interface ConsoleFacts {
  /** Stands before every path when a proxy serves Docket below one; mostly ''. */
  readonly prefix: string
  readonly version: string
  /** Demo users with their published passwords, while they have them. */
  readonly demoUsers: readonly { readonly userName: string; readonly password: string }[]
}

/** Puts the facts into the built page, and makes the addresses of its assets absolute: the page stands at many paths. */
export function consolePage(page: string, { prefix, version, demoUsers }: ConsoleFacts): string {
  const facts = html`<meta name="docket" data-prefix="${prefix}" data-version="${version}" data-demo="${JSON.stringify(demoUsers)}">`
  return page
    .replaceAll('"./assets/', () => `"${html`${prefix}`.text}/console/assets/`)
    .replace('<meta name="docket">', () => facts.text)
}
