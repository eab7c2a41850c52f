/** A figure once it has stopped changing: arranging ten thousand nodes anew at each step would take every frame. */
import { useEffect, useState } from 'react';

export const useSettled = (value: number, ms: number): number => {
  const [settled, settle] = useState(value);
  useEffect(() => {
    if (settled === value) return undefined;
    const timer = setTimeout(() => settle(value), ms);
    return () => clearTimeout(timer);
  }, [settled, value, ms]);
  return settled;
};
