// SPDX-License-Identifier: Apache-2.0
import DefaultTheme from 'vitepress/theme-without-fonts';
import { GrowthCalculator } from './growth-calculator.mjs';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp(/** @type {{ app: import('vue').App }} */ { app }) {
    app.component('GrowthCalculator', GrowthCalculator);
  },
};
