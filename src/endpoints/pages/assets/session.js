// The key ends with the tab: sessionStorage is not shared and not kept.
const keyName = 'docket.key'
const userName = 'docket.user'

/** Stands before every path when a proxy serves Docket below one. */
const prefix = document.documentElement.dataset.prefix ?? ''

export const signedInAs = () => (sessionStorage.getItem(keyName) === null ? null : sessionStorage.getItem(userName))

/**
 * Sends a request as whoever is signed in.
 *
 * @param {string} method
 * @param {string} path with its query string
 * @param {string | null} body JSON text
 */
export function send(method, path, body = null) {
  const key = sessionStorage.getItem(keyName)
  const headers = { accept: 'application/json' }
  if (key !== null) headers.authorization = `Bearer ${key}`
  if (body !== null) headers['content-type'] = 'application/json'
  // Without credentials of the browser's own, a 401 does not open its password window.
  return fetch(prefix + path, { method, headers, body, credentials: 'omit', cache: 'no-store' })
}

/** @returns {Promise<string | null>} why it failed, in the server's words */
export async function signIn(name, password) {
  sessionStorage.removeItem(keyName)
  const answer = await send('POST', '/v1/auth/login', JSON.stringify({ username: name, password }))
  const { data, message } = await answer.json()
  if (!answer.ok) return message
  sessionStorage.setItem(keyName, data.auth_key)
  sessionStorage.setItem(userName, name)
  return null
}

export async function signOut() {
  if (signedInAs() !== null) await send('POST', '/v1/auth/logout')
  forgetKey()
}

export function forgetKey() {
  sessionStorage.removeItem(keyName)
}
