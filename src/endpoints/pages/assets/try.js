import { byId, element } from './element.js'
import { send } from './session.js'

/** Opens the window in which a request can be changed and sent, with this one in it. */
export function tryRequest({ method, path, body }) {
  const form = byId('request')
  form.elements.method.value = method.toUpperCase()
  form.elements.path.value = path
  form.elements.body.value = body === null ? '' : JSON.stringify(body, null, 2)
  byId('answer').replaceChildren()
  showBody()
  byId('try').showModal()
  form.elements.path.focus()
}

/** A body belongs to the methods that take one. */
function showBody() {
  const { method } = byId('request').elements
  byId('body-field').hidden = method.value === 'GET' || method.value === 'DELETE'
}

export function prepareTrying() {
  const form = byId('request')
  form.elements.method.addEventListener('change', showBody)
  byId('close-try').addEventListener('click', () => byId('try').close())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const { method, path, body } = form.elements
    const text = byId('body-field').hidden || body.value.trim() === '' ? null : body.value
    showAnswer(method.value, path.value, text)
  })
}

async function showAnswer(method, path, body) {
  const out = byId('answer')
  out.replaceChildren(element('p', {}, 'Asking …'))
  const began = performance.now()
  try {
    const answer = await send(method, path.startsWith('/') ? path : `/${path}`, body)
    const text = await answer.text()
    const took = Math.round(performance.now() - began)
    out.replaceChildren(...drawAnswer(answer, text, took))
  } catch (error) {
    out.replaceChildren(element('p', { class: 'bad' }, `No answer: ${error.message}`))
  }
}

function drawAnswer(answer, text, took) {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  return [
    element('p', { class: answer.ok ? 'good' : 'bad' }, `${answer.status} in ${took} ms, ${text.length} characters`),
    element('details', {}, element('summary', {}, 'Headers'), element('pre', { tabindex: '0' }, headers)),
    element('pre', { tabindex: '0' }, element('code', {}, pretty(text))),
  ]
}

const longest = 200_000

function pretty(text) {
  try {
    const shown = JSON.stringify(JSON.parse(text), null, 2)
    return shown.length > longest ? `${shown.slice(0, longest)}\n… (cut here)` : shown
  } catch {
    return text
  }
}
