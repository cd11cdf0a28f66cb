// Menu of actions behind a button (WAI-ARIA menu button pattern): arrow keys move, Escape closes.
// Tested by test/browser/frame.test.ts
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { base, usePlace } from '../app/router.tsx'
import { Icon, type IconName } from './icons.tsx'

export type MenuItem = {
  readonly title: string
  readonly icon?: IconName
  /** Red and last: it destroys or revokes. */
  readonly danger?: boolean
  /** Path below the dashboard, or a URL; otherwise `onChoose`. */
  readonly to?: string
  readonly href?: string
  /** The browser saves the linked content. */
  readonly download?: string
  readonly onChoose?: () => void
}

export function Menu({
  title,
  items,
  children,
  small = false,
}: {
  /** The subject of the menu, for screen readers: `Actions for frontend`. */
  readonly title: string
  readonly items: readonly MenuItem[]
  /** Content of the button; absent: three dots. */
  readonly children?: ComponentChildren
  readonly small?: boolean
}) {
  const [open, setOpen] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const close = (): void => {
    setOpen(false)
    button.current?.focus({ preventScroll: true })
  }
  useEffect(() => {
    if (!open) return undefined
    const put = (): void => {
      if (list.current !== null && button.current !== null) putBeside(list.current, button.current)
    }
    put()
    place.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true })
    const leave = (event: PointerEvent): void => {
      if (event.target instanceof Node && place.current?.contains(event.target) !== true) {
        setOpen(false)
      }
    }
    addEventListener('pointerdown', leave)
    addEventListener('scroll', put, true)
    return () => {
      removeEventListener('pointerdown', leave)
      removeEventListener('scroll', put, true)
    }
  }, [open])
  const move = (event: KeyboardEvent): void => {
    if (!open) return
    if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') event.preventDefault()
      event.stopPropagation()
      return close()
    }
    const all = [...(place.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = all.findIndex((one) => one === document.activeElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all.at(next % all.length)?.focus()
  }
  return (
    <span class="menu-place" ref={place} onKeyDown={move}>
      <button
        ref={button}
        class={`button${children === undefined ? ' icon quiet' : ''}${small ? ' small' : ''}`}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={title}
        title={title}
        onClick={() => setOpen(!open)}
      >
        {children ?? <Icon name="more" />}
      </button>
      {open && (
        <div class="menu" ref={list} popover="manual" role="menu" aria-label={title}>
          {items.map((item, at) => (
            <Item key={item.title} item={item} ruled={at > 0} onDone={close} />
          ))}
        </div>
      )}
    </span>
  )
}

const gap = 4

/** Positions the menu below the button, or above it if there is no space, aligned with its right or left edge. */
function putBeside(menu: HTMLElement, button: HTMLElement): void {
  if (!menu.matches(':popover-open')) menu.showPopover()
  const at = button.getBoundingClientRect()
  const { offsetWidth, offsetHeight, style } = menu
  const below = at.bottom + gap
  const isAbove = below + offsetHeight > innerHeight && at.top > offsetHeight
  style.top = `${isAbove ? at.top - gap - offsetHeight : below}px`
  style.left = `${Math.max(gap, at.right - offsetWidth)}px`
}

function Item({
  item: { title, icon, danger = false, to, href, download, onChoose },
  ruled,
  onDone,
}: {
  readonly item: MenuItem
  readonly ruled: boolean
  onDone(): void
}) {
  const { go } = usePlace()
  const shown = (
    <>
      {icon !== undefined && <Icon name={icon} size={16} />}
      {title}
    </>
  )
  const shared = {
    class: `menu-item${danger ? ' bad' : ''}`,
    role: 'menuitem' as const,
    tabIndex: -1,
  }
  const rule = danger && ruled ? <hr /> : null
  if (to === undefined && href === undefined) {
    const choose = (): void => {
      onDone()
      onChoose?.()
    }
    return (
      <>
        {rule}
        <button type="button" {...shared} onClick={choose}>
          {shown}
        </button>
      </>
    )
  }
  const follow = (event: MouseEvent): void => {
    onDone()
    if (to === undefined) return
    event.preventDefault()
    go(to)
  }
  const outside =
    href === undefined || download !== undefined ? {} : { target: '_blank', rel: 'noopener' }
  return (
    <a
      {...shared}
      href={to === undefined ? (href ?? '') : base + to}
      {...outside}
      {...(download === undefined ? {} : { download })}
      onClick={follow}
    >
      {shown}
    </a>
  )
}
