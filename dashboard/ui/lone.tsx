// The frame of pages before anyone is signed in: one box in the middle.
import type { ComponentChildren } from 'preact'
import { Logo } from './icons.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export function Lone({
  title,
  about,
  children,
}: {
  readonly title: string
  readonly about?: ComponentChildren
  readonly children: ComponentChildren
}) {
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
