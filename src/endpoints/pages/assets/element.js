/**
 * Makes a DOM element. Texts become text nodes, never markup, whatever a server's titles hold.
 *
 * @param {string} tag such as `section`
 * @param {Record<string, unknown>} attributes `onclick` and the like take functions; null and false leave an attribute out
 * @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue
    if (typeof value === 'function') made.addEventListener(name.slice(2), value)
    else made.setAttribute(name, value === true ? '' : String(value))
  }
  made.append(...children.filter((child) => child !== null))
  return made
}

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id)
