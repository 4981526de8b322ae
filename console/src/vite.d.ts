declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  // biome-ignore lint/style/noDefaultExport: this is what Vite makes of a CSS module
  export default classes
}
declare module '*.css' {}
declare module '*.ts?sign-in' {
  export const en: Readonly<Record<string, string>>
  export const ru: Readonly<Record<string, string>>
}
