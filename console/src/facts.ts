interface DemoUser {
  readonly userName: string
  readonly password: string
}

const { dataset } = document.querySelector<HTMLMetaElement>('meta[name=docket]') ?? { dataset: {} as DOMStringMap }

/** Prefix of every path when a proxy serves Docket below a path; usually ''. */
export const prefix = dataset['prefix'] ?? ''
export const serverVersion = dataset['version'] ?? ''
export const demoUsers = JSON.parse(dataset['demo'] ?? '[]') as readonly DemoUser[]
/** Path of the console without a trailing slash. */
export const consolePath = `${prefix}/console`
