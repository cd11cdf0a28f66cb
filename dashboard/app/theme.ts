// Light, dark, or as the system has it; what was chosen is kept in the browser.

export type Theme = 'system' | 'light' | 'dark'

/** Told to the window when another one was chosen. */
export const themeEvent = 'cairn-theme'

const place = 'cairn-theme'

export function keptTheme(): Theme {
  const kept = localStorage.getItem(place)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function applyTheme(theme: Theme): void {
  const { documentElement } = document
  if (theme === 'system') {
    delete documentElement.dataset['theme']
    localStorage.removeItem(place)
  } else {
    documentElement.dataset['theme'] = theme
    localStorage.setItem(place, theme)
  }
  dispatchEvent(new Event(themeEvent))
}
