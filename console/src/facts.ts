interface DemoUser {
  readonly userName: string
  readonly password: string
}

const { dataset } = document.querySelector<HTMLMetaElement>('meta[name=docket]') ?? { dataset: {} as DOMStringMap }

/** Stands before every path when a proxy serves Docket below one; mostly ''. */
export const prefix = dataset['prefix'] ?? ''
export const serverVersion = dataset['version'] ?? ''
export const demoUsers = JSON.parse(dataset['demo'] ?? '[]') as readonly DemoUser[]
/** Path of the console without a slash at its end. */
export const consolePath = `${prefix}/console`
