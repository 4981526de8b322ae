import { byId } from './element.js'
import { forgetKey, send, signedInAs, signIn, signOut } from './session.js'
import { prepareTrying } from './try.js'
import { drawApi, filterParts, openFromAddress } from './view.js'

prepareTrying()
byId('filter').addEventListener('input', ({ currentTarget }) => filterParts(currentTarget.value))
window.addEventListener('hashchange', openFromAddress)
byId('sign-out').addEventListener('click', () => signOut().then(load))
byId('sign-in').addEventListener('submit', (event) => {
  event.preventDefault()
  const { name, password } = event.currentTarget.elements
  signIn(name.value, password.value).then(async (trouble) => {
    password.value = ''
    say(trouble)
    if (trouble === null) await load()
  }, sayLost)
})
load()

/** Reads the document of whoever is signed in, and draws it. */
async function load() {
  try {
    let answer = await send('GET', '/openapi.json')
    if (answer.status === 401) {
      forgetKey()
      say('You were signed out: the key has expired.')
      answer = await send('GET', '/openapi.json')
    }
    const api = await answer.json()
    if (!answer.ok) throw new Error(api.message)
    showWho()
    drawApi(api)
    filterParts(byId('filter').value)
    document.documentElement.dataset.state = 'ready'
  } catch (error) {
    sayLost(error)
  }
}

function showWho() {
  const who = signedInAs()
  byId('sign-in').hidden = who !== null
  byId('signed-in').hidden = who === null
  byId('who').textContent = who ?? ''
}

function say(text) {
  byId('trouble').textContent = text ?? ''
}

function sayLost(error) {
  say(`The server did not answer: ${error.message}`)
}
