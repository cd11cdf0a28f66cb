// Runs before the page is painted: applies the theme that the dashboard or this page stored, and builds the switch for it.
import { applyTheme, storedTheme, type Theme } from '../app/theme.ts'

const themes: readonly (readonly [Theme, string, string])[] = [
  ['system', 'System', 'M3.5 5h17v11h-17zM9 20h6M12 16v4'],
  [
    'light',
    'Light',
    'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3 19 19M5 19l1.7-1.7M17.3 6.7 19 5',
  ],
  ['dark', 'Dark', 'M20 14.5A8.5 8.5 0 1 1 9.5 4a6.7 6.7 0 0 0 10.5 10.5z'],
]

const svg = 'http://www.w3.org/2000/svg'

function icon(path: string): SVGElement {
  const drawing = document.createElementNS(svg, 'svg')
  const attributes = {
    width: '16',
    height: '16',
    viewBox: '0 0 24 24',
    fill: 'none',
    stroke: 'currentColor',
  }
  for (const [name, value] of Object.entries(attributes)) drawing.setAttribute(name, value)
  drawing.setAttribute('stroke-width', '1.8')
  drawing.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(svg, 'path')
  line.setAttribute('d', path)
  drawing.append(line)
  return drawing
}

function buildSwitch(place: Element): void {
  const buttons = themes.map(([theme, title, path]) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'theme'
    button.title = title
    button.setAttribute('aria-label', title)
    button.append(icon(path))
    button.addEventListener('click', () => {
      applyTheme(theme)
      show()
    })
    return { theme, button }
  })
  const show = (): void => {
    const chosen = storedTheme()
    for (const { theme, button } of buttons) {
      button.setAttribute('aria-pressed', String(theme === chosen))
    }
  }
  show()
  place.replaceChildren(...buttons.map(({ button }) => button))
}

document.documentElement.classList.add('script')
applyTheme(storedTheme())
document.addEventListener('DOMContentLoaded', () => {
  const place = document.querySelector('.docs-tools .themes')
  if (place !== null) buildSwitch(place)
})
