import { loadShapes } from './load-shapes.ts';
import { playInStorms } from './play.ts';

playInStorms('O1: the thirteen load shapes', loadShapes);
