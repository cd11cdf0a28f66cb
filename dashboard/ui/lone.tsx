// The frame of pages before anyone is signed in: one box in the middle.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Logo } from './icons.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

/** The document is called after it. */
export function Lone({
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
    <div class="lone">
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
