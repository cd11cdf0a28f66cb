// Whether the current theme is dark, for canvas drawings. The hook renders again after a change.
import { useEffect, useState } from 'preact/hooks'
import { themeEvent } from './theme.ts'

const systemDark = '(prefers-color-scheme: dark)'

export function isDark(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === undefined ? matchMedia(systemDark).matches : theme === 'dark'
}

export function useIsDark(): boolean {
  const [dark, setDark] = useState(isDark)
  useEffect(() => {
    const look = (): void => setDark(isDark())
    const system = matchMedia(systemDark)
    system.addEventListener('change', look)
    addEventListener(themeEvent, look)
    return () => {
      system.removeEventListener('change', look)
      removeEventListener(themeEvent, look)
    }
  }, [])
  return dark
}
