/** Marks a part of the time axis: with the mouse, a finger or a pen by dragging, with the keyboard by Shift and the arrow keys. */
import type { KeyboardEvent, PointerEvent } from 'react';
import { timesOf } from './selection.ts';
import { useSpan } from './span.ts';

/** `title`: the chart’s. */
export function useSelecting(title: string) {
  const { axis, cursor, selection, selected, onSelect, onZoom } = useSpan();
  const middleOf = (step: number) => axis.fromMs + (step + 0.5) * axis.stepMs;
  const here = selection?.title === title ? selection : undefined;

  const zoom = () => {
    if (selected === undefined) return;
    onSelect(undefined);
    onZoom(timesOf(axis, selected));
  };
  /** The cursor goes to a step: with Shift, the steps between are marked. */
  const onStep = (step: number, isShift: boolean) => {
    if (!isShift) {
      onSelect(undefined);
      return;
    }
    const anchorMs = here?.anchorMs ?? middleOf(cursor ?? axis.count - 1);
    onSelect({ title, anchorMs, headMs: middleOf(step), isDragged: false });
  };
  /** Whether the key was meant for the marked part. */
  const onKey = ({ key }: KeyboardEvent): boolean => {
    if (selection === undefined || (key !== 'Enter' && key !== 'Escape')) return false;
    if (key === 'Enter') zoom();
    else onSelect(undefined);
    return true;
  };

  const onDown = (event: PointerEvent<HTMLElement>, step: number) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    onSelect({ title, anchorMs: middleOf(step), headMs: middleOf(step), isDragged: true });
  };
  const onMove = (step: number) => {
    if (here?.isDragged === true) onSelect({ ...here, headMs: middleOf(step) });
  };
  /** A finger also moves to read values: what it marked waits for the button. The mouse reads values without being pressed. */
  const onUp = ({ pointerType }: PointerEvent) => {
    if (here?.isDragged !== true) return;
    if (selected === undefined) onSelect(undefined);
    else if (pointerType === 'mouse') zoom();
    else onSelect({ ...here, isDragged: false });
  };
  const onCancel = () => {
    if (here?.isDragged === true) onSelect(undefined);
  };
  return { zoom, onStep, onKey, onDown, onMove, onUp, onCancel };
}
