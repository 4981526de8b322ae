/**
 * A response that the server has put into the page with the list (src/endpoints/pages/painted-page.ts), for the first request of its
 * address. They are in the page for the start only: display-painted-list.ts removes what nothing has requested.
 */
export function takeResponse(address: string): Response | undefined {
  const element = document.querySelector<HTMLElement>(`#responses > [data-address=${JSON.stringify(address)}]`)
  if (element === null) return undefined
  element.remove()
  return new Response(element.textContent, { headers: JSON.parse(element.dataset['headers'] as string) })
}
