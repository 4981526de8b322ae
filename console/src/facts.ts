interface DemoUser {
  readonly userName: string
  readonly password: string
}

const { dataset } = (import.meta.env.SSR ? null : document.querySelector<HTMLElement>('meta[name=docket]')) ?? {
  dataset: {} as DOMStringMap,
}

/** Prefix of every path when a proxy serves Docket below a path; usually ''. */
export const prefix = dataset['prefix'] ?? ''
/** Address of the script that the page begins with. Its name changes with every change of the console. */
export const startScript = dataset['script'] ?? ''
export const serverVersion = dataset['version'] ?? ''
export const demoUsers = JSON.parse(dataset['demo'] ?? '[]') as readonly DemoUser[]
/** Path of the console without a trailing slash. */
export const consolePath = `${prefix}/console`
