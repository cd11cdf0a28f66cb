// Frame of the pages before sign-in: one centered box.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Logo } from './icons.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

/** Also sets the document title. */
export function CenteredPage({
  title,
  about,
  children,
}: {
  readonly title: string
  readonly about?: ComponentChildren
  readonly children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · Cairn`
  }, [title])
  return (
    <div class="centered">
      <main id="content">
        <div class="row apart">
          <span class="brand">
            <Logo size={32} />
            Cairn
          </span>
          <ThemeSwitch />
        </div>
        <div class="card">
          <div class="stack tight">
            <h1 tabIndex={-1}>{title}</h1>
            {about !== undefined && <p class="soft">{about}</p>}
          </div>
          {children}
        </div>
      </main>
    </div>
  )
}
