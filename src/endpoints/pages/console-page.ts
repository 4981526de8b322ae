import { html } from '../../http/response/html.ts'

/** Facts that the page passes to its script. Everybody who can reach the server may read them. */
export interface ConsoleFacts {
  /** Prefix of every path if a proxy serves Docket under a path; usually ''. */
  readonly prefix: string
  readonly version: string
  /** Demo users who still have their published passwords, with these passwords. */
  readonly demoUsers: readonly { readonly userName: string; readonly password: string }[]
}

const moduleScript = /<script type="module"[^>]* src="([^"]+)"><\/script>/g

/** Puts the facts into the built page, and makes the addresses of its assets absolute: the page is served at many paths. */
export function consolePage(built: string, { prefix, version, demoUsers }: ConsoleFacts): string {
  const page = built.replaceAll('"./assets/', () => `"${html`${prefix}`.text}/console/assets/`)
  // The last script begins; the others are parts of it.
  const name = [...built.matchAll(moduleScript)].at(-1)?.[1]?.replace(/^\.\/assets\//, '') ?? ''
  const script = `${prefix}/console/assets/${name}`
  const facts = html`<meta name="docket" data-script="${script}" data-prefix="${prefix}" data-version="${version}" data-demo="${JSON.stringify(demoUsers)}">`
  return page.replace('<meta name="docket">', () => facts.text)
}

/** The same page, whose scripts are fetched, and do not begin. */
export const withoutBeginning = (page: string): string =>
  page.replaceAll(
    moduleScript,
    (_, script: string) => `<link rel="preload" as="script" crossorigin fetchpriority="low" href="${script}">`,
  )
