declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  // biome-ignore lint/style/noDefaultExport: Vite exports a CSS module in this way
  export default classes
}
declare module '*.css' {}
declare module '*.ts?sign-in' {
  export const en: Readonly<Record<string, string>>
  export const ru: Readonly<Record<string, string>>
}
declare module '*.ts?lists' {
  export const en: Readonly<Record<string, string>>
  export const ru: Readonly<Record<string, string>>
}
declare module '*.ts?dialogs' {
  export const en: Readonly<Record<string, string>>
  export const ru: Readonly<Record<string, string>>
}
declare module '*.ts?pages' {
  export const en: Readonly<Record<string, string>>
  export const ru: Readonly<Record<string, string>>
}
declare module '*?sharedworker&url' {
  const url: string
  // biome-ignore lint/style/noDefaultExport: Vite exports the URL of a worker in this way
  export default url
}
interface ImportMeta {
  /** `SSR`: this build is the one for the server. */
  readonly env: { readonly SSR: boolean }
}
