import { checkForUpdate } from './server-update.ts'

/** A part of the console could not be loaded: the server cannot be reached, or it has another version of the console by now. */
export class MissingPart extends Error {}

/** Loads a script of the console. The browser's own message does not help a user, and routers reload the page when they read it. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    void checkForUpdate()
    throw new MissingPart('a part of the console is missing', { cause })
  }
}
