// Light, dark or system theme. The choice is stored in the browser.

export type Theme = 'system' | 'light' | 'dark'

const place = 'cairn-theme'

export function storedTheme(): Theme {
  const stored = localStorage.getItem(place)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
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
}
