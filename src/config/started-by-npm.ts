/** Whether an npm script started this process, so that its parent is npm. */
export function isStartedByNpm(environment: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return environment['npm_lifecycle_event'] !== undefined
}
