/**
 * Runs a script of the pages in a window without a browser, on markup that a page of ours has. It has no layout: what is seen, and where,
 * is for test/browser/.
 */
import { type Event, Window } from 'happy-dom'

/** What the scripts take from the window by its name. */
const names = [
  'document',
  'location',
  'navigator',
  'innerHeight',
  'visualViewport',
  'addEventListener',
  'getSelection',
  'scrollBy',
  'matchMedia',
  'DOMParser',
  'FormData',
  'File',
  'Blob',
  'Node',
  'CustomEvent',
  'ResizeObserver',
  'getComputedStyle',
  'HTMLElement',
  'HTMLFormElement',
  'HTMLButtonElement',
  'HTMLInputElement',
  'HTMLSelectElement',
  'HTMLTableRowElement',
  'localStorage',
] as const

/** A script that asks again and again holds no process. */
const setTimeoutOfNode = globalThis.setTimeout
const unheldTimeout = (action: () => void, ms?: number) => setTimeoutOfNode(action, ms).unref()

let runs = 0

export interface InWindow {
  readonly window: Window
  // biome-ignore lint/suspicious/noExplicitAny: its types lack properties of ARIA, which it has
  readonly document: any
  /** Dispatches the event, or one of that type, on the first element that matches. */
  send(selector: string, event: Event | string): void
  text(selector: string): string
}

/**
 * One window at a time: the scripts are written for globals.
 * @param script of src/web/, as `shared/copy` for `shared/copy.browser.ts`
 * @param answer to each request of the script
 */
export async function runInWindow(
  script: string,
  markup: string,
  answer: (address: string, sent?: RequestInit) => Promise<Response> = () => Promise.reject(new Error('not expected')),
): Promise<InWindow> {
  const window = new Window({ url: 'https://prices.example/page', width: 1280, height: 800 })
  window.document.write(markup)
  const fetch = (address: string | URL, sent?: RequestInit) => answer(String(address), sent)
  const globals: Record<string, unknown> = { window, fetch, setTimeout: unheldTimeout }
  for (const name of names) {
    const value = (window as unknown as Record<string, unknown>)[name]
    globals[name] = typeof value === 'function' && !/^[A-Z]/.test(name) ? value.bind(window) : value
  }
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  }
  // Each window needs the script anew.
  await import(`../../src/web/${script}.browser.ts?run=${++runs}`)
  const { document } = window
  const find = (selector: string) => {
    const found = document.querySelector(selector)
    if (found === null) throw new Error(`there is no ${selector}`)
    return found
  }
  return {
    document,
    window,
    send: (selector, event) => {
      const sent = typeof event === 'string' ? new window.Event(event, { bubbles: true, cancelable: true }) : event
      find(selector).dispatchEvent(sent)
    },
    text: (selector) => find(selector).textContent,
  }
}
