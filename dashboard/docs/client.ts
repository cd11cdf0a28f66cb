// The script of a documentation page: menu on phones, copy buttons, search. Everything else works without it.
import '../style/tokens.css'
import '../style/base.css'
import '../style/shell.css'
import '../style/parts.css'
import '../style/forms.css'
import '../style/tables.css'
import './docs.css'
import { startSearch } from './search-box.ts'

const copiedMs = 1_600

function startMenu(button: Element | null, side: Element | null): void {
  button?.addEventListener('click', () => {
    const open = side?.classList.toggle('open') ?? false
    button.setAttribute('aria-expanded', String(open))
  })
}

/** Scrolls the navigation, not the page, to the current entry. */
function showCurrent(side: Element | null): void {
  const link = side?.querySelector<HTMLElement>('[aria-current]') ?? null
  if (link === null || side === null) return
  const below = link.offsetTop + link.offsetHeight - side.clientHeight
  if (below > 0) side.scrollTop = link.offsetTop - side.clientHeight / 2
}

function addCopyButton(block: Element): void {
  const code = block.querySelector('code')
  if (code === null) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button small copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', () => {
    void writeClipboard(code.textContent).then(() => {
      button.textContent = 'Copied'
      setTimeout(() => (button.textContent = 'Copy'), copiedMs)
    })
  })
  block.append(button)
}

/** Pages opened over plain HTTP, except on localhost, have no clipboard API. */
async function writeClipboard(text: string): Promise<void> {
  if (isSecureContext) {
    await navigator.clipboard.writeText(text)
    return
  }
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

const side = document.querySelector('.docs-side')
startMenu(document.querySelector('.docs-menu'), side)
showCurrent(side)
for (const block of document.querySelectorAll('.code')) addCopyButton(block)
const form = document.querySelector<HTMLFormElement>('form.search')
if (form !== null) startSearch(form)
