/** Words of the server, in both languages, after which the column of an error is named (src/http/response/error-messages.ts). */
const before = '(?:value of|column|field|[Зз]начение|столбца|столбец|[Пп]оле|[Пп]оля)'

/**
 * Replaces the column name of a server's error by the title that users know. Column names are ordinary words, such as `value`, `state` or
 * `table`: only the place where the error names its column is replaced, and a longer name or a path that contains the name is not.
 */
export const withTitle = (message: string, column: string, title: string): string =>
  message.replace(
    new RegExp(`(?<=(?<![\\p{L}\\d_])${before} )${column}(?![\\p{L}\\d_]|\\.[\\p{L}_])`, 'u'),
    () => title,
  )
