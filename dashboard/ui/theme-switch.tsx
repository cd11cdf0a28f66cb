// Switch between light, dark and system theme.
import { useState } from 'preact/hooks'
import { applyTheme, storedTheme, type Theme } from '../app/theme.ts'
import { Icon, type IconName } from './icons.tsx'

const themes: readonly { readonly name: Theme; readonly title: string; readonly icon: IconName }[] =
  [
    { name: 'system', title: 'System', icon: 'screen' },
    { name: 'light', title: 'Light', icon: 'sun' },
    { name: 'dark', title: 'Dark', icon: 'moon' },
  ]

export function ThemeSwitch() {
  const [chosen, setChosen] = useState(storedTheme)
  return (
    <div class="themes" role="group" aria-label="Theme">
      {themes.map(({ name, title, icon }) => (
        <button
          key={name}
          class="theme"
          type="button"
          title={title}
          aria-label={title}
          aria-pressed={name === chosen}
          onClick={() => {
            applyTheme(name)
            setChosen(name)
          }}
        >
          <Icon name={icon} size={16} />
        </button>
      ))}
    </div>
  )
}
